// The page's beginning. What the address wants is asked for before what draws it is there: neither waits for the other.
import { QueryClient } from "@tanstack/react-query";
import { isToBeAskedAgain } from "./api/client";
import { watchSession } from "./api/session";
import { early } from "./early";
import { parseRoute } from "./model/route";
import "./style/base.css";
import "./style/parts.css";
import "./style/graph.css";

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isToBeAskedAgain,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

watchSession(cache);
early(cache, parseRoute(window.location.hash));
const root = document.getElementById("root");
if (root) void import("./app").then(({ start }) => start(root, cache));

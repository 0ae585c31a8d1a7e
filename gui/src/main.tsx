// The page's beginning.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isToBeAskedAgain } from "./api/client";
import { App } from "./pages/App";
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

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}

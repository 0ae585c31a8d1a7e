// The page's beginning.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Refusal } from "./api/client";
import { App } from "./pages/App";
import "./style/base.css";
import "./style/parts.css";
import "./style/graph.css";

const RETRIES = 3;

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // What the platform refuses it will refuse again, unless it says otherwise.
      retry: (times, error) => times < RETRIES && (!(error instanceof Refusal) || error.problem?.retryable === true),
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

// How applications did lately.
import { queryOptions } from "@tanstack/react-query";
import { address, answered, client } from "./client";

const FRESH_MS = 5_000;

export const figuresPath = (minutes: number): string => address(`api/v1/figures?minutes=${minutes}`);

export const figures = (minutes: number) =>
  queryOptions({
    queryKey: ["figures", minutes],
    queryFn: () => answered(client.GET("/api/v1/figures", { params: { query: { minutes } } })),
    refetchInterval: FRESH_MS,
    placeholderData: (before) => before,
  });

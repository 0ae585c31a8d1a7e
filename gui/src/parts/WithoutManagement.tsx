// What a page says whose answers the management gives, while there is none: it may only be on its way.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { management } from "../api/settings";
import { Empty } from "./Table";

/** @param what is kept by it, as in "This platform has no …" */
export function WithoutManagement({ what }: { readonly what: string }) {
  const cache = useQueryClient();
  const status = useQuery(management()).data;
  const isThere = status?.enabled === true && !status.trouble;
  useEffect(() => {
    if (isThere) void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "management" });
  }, [isThere, cache]);
  return (
    <Empty>
      {status?.trouble || isThere ? (
        <p role="status">
          <strong>The management application, which keeps {what}, is not there yet:</strong> {status?.trouble ?? "it is about to be"}.
        </p>
      ) : (
        <p>
          <strong>This platform has no {what}.</strong> They are kept by its management application: start it with <code>--management on</code>.
        </p>
      )}
    </Empty>
  );
}

// Without the grains of the management, where one of them is broken: offered beside what it did not answer, and said on every page as
// long as it is so.
import { useQueryClient } from "@tanstack/react-query";
import { goDirect, useDirect } from "../api/direct";
import type { Problem } from "../api/client";
import { useWhyNot } from "../api/session";
import { isOfManagement } from "../model/direct";

/** For who operates the platform: grains have a say in what others may. */
export function DirectOffered({ problem }: { readonly problem: Problem }) {
  const cache = useQueryClient();
  const isDirect = useDirect();
  const why = useWhyNot("operator");
  const go = (): void => {
    goDirect(true);
    void cache.invalidateQueries();
  };
  if (!isOfManagement(problem)) return null;
  return (
    <>
      {problem.mayHaveRun && <p>It may have been done all the same: look before it is done again.</p>}
      {why === null && !isDirect && (
        <p>
          <button type="button" onClick={go}>
            Let the platform do it itself
          </button>
        </p>
      )}
    </>
  );
}

export function DirectSaid() {
  const cache = useQueryClient();
  const back = (): void => {
    goDirect(false);
    void cache.invalidateQueries();
  };
  return useDirect() ? (
    <div className="direct">
      <span role="status" tabIndex={-1}>
        <strong>The platform itself does what this page asks for,</strong> without the grains of its management.
      </span>{" "}
      <button type="button" className="small" onClick={back}>
        Ask the grains again
      </button>
    </div>
  ) : null;
}

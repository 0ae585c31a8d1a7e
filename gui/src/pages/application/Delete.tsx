// The end of an application, for who may: its name is typed first.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteApplication, paths } from "../../api/queries";
import { useShownName } from "../../api/session";
import { Section, Trouble } from "../../parts/bits";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { go } from "../../parts/router";

export function Delete({ app }: { readonly app: string }) {
  const cache = useQueryClient();
  const name = useShownName()(app);
  const end = useMutation({
    mutationFn: () => deleteApplication(app),
    onSuccess: async () => {
      // Pages of it are left before what they show is dropped: it would be asked for again.
      go({ page: "home" });
      await cache.invalidateQueries({ queryKey: ["applications"] });
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[1] === app });
    },
  });
  const endOnce = useOnce(end);
  return (
    <Section title="Delete the application" id="delete">
      {end.error && <Trouble error={end.error} />}
      <div className="actions">
        <Confirm scope="admin" label="Delete it" title={`Delete ${name}?`} name={name} disabled={end.isPending} onConfirm={() => endOnce()}>
          <p>It cannot be called any more, and what is its own goes with it for good:</p>
          <ul>
            <li>all versions with their files, and aliases</li>
            <li>executions, those that run too, with their histories, outputs and logs</li>
            <li>queues with their messages and dead letters, and triggers</li>
            <li>shared data, tables and cloud processes with their state</li>
            <li>secrets and saved events</li>
          </ul>
          <p>What is in the audit log stays. One that is deployed under this name later goes on with the next version number.</p>
        </Confirm>
        <span role="status" className="quiet">
          {end.isPending && "being deleted…"}
        </span>
      </div>
      <AsCurl name="delete" method="DELETE" url={paths.application(app)} command={["delete", app]} />
    </Section>
  );
}

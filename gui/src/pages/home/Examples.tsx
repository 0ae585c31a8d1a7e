// Applications to begin with: deployed with one click, with something to run at once.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { address } from "../../api/client";
import { type Example, deployExample, examples } from "../../api/examples";
import { nameHere } from "../../model/tenant";
import { Section, To, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { useOnce } from "../../parts/once";

export function Examples({ there }: { readonly there: readonly string[] }) {
  const { data } = useQuery(examples());
  if (!data || data.length === 0) return null;
  return (
    <Section title="Examples">
      <ul className="cards">
        {data.map((example) => (
          <Card key={example.name} example={example} there={nameHere(there, example.name)} />
        ))}
      </ul>
    </Section>
  );
}

/** @param there what it is called here; undefined: it is not deployed */
function Card({ example, there }: { readonly example: Example; readonly there: string | undefined }) {
  const cache = useQueryClient();
  const [line, setLine] = useState("");
  const deploy = useMutation({
    mutationFn: () => deployExample(example.name, setLine),
    onSettled: () => cache.invalidateQueries({ queryKey: ["applications"] }),
  });
  const deployOnce = useOnce(deploy);
  const { name, title, about, workflow, input, open } = example;
  return (
    <li className="example">
      <h3>{title}</h3>
      <p>{about}</p>
      {deploy.error && <Trouble error={deploy.error} />}
      <div className="actions">
        {there ? (
          <>
            <To route={{ page: "application", app: there }}>See it</To>
            {workflow && <To route={{ page: "workflow", app: there, name: workflow, input: JSON.stringify(input, null, 2) }}>Run it</To>}
            {open && (
              <a href={address(open.slice(1).replace(name, there))} target="_blank" rel="noopener noreferrer">
                Open its pages
              </a>
            )}
          </>
        ) : (
          <Button scope="deploy" type="button" aria-disabled={deploy.isPending} onClick={() => deployOnce()}>
            Deploy <span className="unseen">{title}</span>
          </Button>
        )}
        <span role="status" className="quiet">
          {deploy.isPending && (line || "sending…")}
        </span>
      </div>
    </li>
  );
}

// A host taken out of service, and into it again; for who operates the platform.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answered, client } from "../../api/client";
import { paths } from "../../api/queries";
import { type Host, leftText } from "../../model/hosts";
import { Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";

type Deed = "drain" | "resume";

export function Service({ host }: { readonly host: Host }) {
  const cache = useQueryClient();
  const params = { path: { host: host.host } };
  const change = useMutation({
    mutationFn: (deed: Deed): Promise<unknown> =>
      deed === "drain" ? answered(client.POST("/api/v1/hosts/{host}/drain", { params })) : answered(client.POST("/api/v1/hosts/{host}/resume", { params })),
    onSettled: () => cache.invalidateQueries({ queryKey: ["status"] }),
  });
  const changeOnce = useOnce(change);
  const deed: Deed = host.draining ? "resume" : "drain";
  return (
    <>
      <div className="actions">
        {deed === "drain" ? (
          <Confirm scope="operator" label="Drain" title={`Drain ${host.host}?`} disabled={change.isPending} onConfirm={() => changeOnce("drain")}>
            <p>It takes nothing new. What runs there ends, or goes on elsewhere when it takes too long; its cloud processes go to the other hosts. It takes work again when you say so, or when it is started again.</p>
          </Confirm>
        ) : (
          <Button scope="operator" type="button" aria-label={`Resume ${host.host}`} aria-disabled={change.isPending} onClick={() => changeOnce("resume")}>
            Resume
          </Button>
        )}
        <span role="status" className="quiet">
          {host.state === "draining" && leftText(host)}
          {host.state === "drained" && "Nothing is on it any more: its machine may be taken away."}
        </span>
      </div>
      {change.error && <Trouble error={change.error} />}
      <AsCurl name={deed} method="POST" url={paths.host(host.host, deed)} command={["host", deed, host.host]} />
    </>
  );
}

// A message for a queue.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { busPaths } from "../../api/bus";
import { answered, client } from "../../api/client";
import { jsonFault } from "../../model/show";
import { Section, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { AsCurl } from "../../parts/copy";
import { JsonField } from "../../parts/JsonField";
import { useOnce } from "../../parts/once";

export function Send({ app, queue }: { readonly app: string; readonly queue: string }) {
  const cache = useQueryClient();
  const [message, setMessage] = useState("{}");
  const [group, setGroup] = useState("");
  const fault = jsonFault(message);
  const send = useMutation({
    mutationFn: () =>
      answered(
        client.POST("/api/v1/applications/{app}/queues/{queue}", {
          params: { path: { app, queue }, query: group === "" ? {} : { group } },
          headers: { "Content-Type": "application/json" },
          body: message,
          bodySerializer: (body: unknown) => String(body),
        }),
      ),
    onSuccess: () => Promise.all(["queues", "peeked"].map((name) => cache.invalidateQueries({ queryKey: [name, app] }))),
  });
  const sendOnce = useOnce(send);
  const query = group === "" ? "" : `?${new URLSearchParams({ group })}`;
  return (
    <Section title="Send a message">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) sendOnce();
        }}
      >
        <JsonField id="message" label="Message, as JSON" value={message} fault={fault} rows={4} onChange={setMessage} />
        <div className="actions">
          <Button scope="invoke" type="submit" className="first" aria-disabled={send.isPending} disabled={fault !== null}>
            Send
          </Button>
          <label>
            Group <input value={group} maxLength={256} placeholder="none" onChange={(event) => setGroup(event.target.value)} />
          </label>
          <span role="status" className="quiet">
            {send.isSuccess && `sent as ${send.data.id}`}
          </span>
        </div>
      </form>
      {send.error && <Trouble error={send.error} />}
      <AsCurl name="send" method="POST" url={busPaths.queue(app, queue, query)} body={message} command={["queues", "send", app, queue, ...(group ? ["--group", group] : []), "--data", message]} />
    </Section>
  );
}

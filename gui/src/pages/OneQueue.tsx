// One queue: its settings, a message for it, the messages that wait, and those that were given up on.
import { useQuery } from "@tanstack/react-query";
import { MOST_LETTERS, busPaths, queues } from "../api/bus";
import { useShownName } from "../api/session";
import { atMost, settingsText } from "../model/queue";
import type { Route } from "../model/route";
import { Facts, Found, Title, To } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Waiting } from "./Hosts";
import { DeadLetters } from "./queue/DeadLetters";
import { Peek } from "./queue/Peek";
import { Send } from "./queue/Send";

type Shown = Extract<Route, { page: "queue" }>;

export function OneQueue({ route }: { readonly route: Shown }) {
  const { app, name } = route;
  const shown = useShownName();
  return (
    <>
      <Title trail={<To route={{ page: "bus", app }}>Queues</To>}>{name}</Title>
      <Found query={useQuery(queues(app))}>
        {({ queues: found }) => {
          const queue = found.find((one) => one.name === name);
          if (!queue) return <p role="alert">{`The live version of ${shown(app)} has no queue ${name}.`}</p>;
          return (
            <>
              <Facts facts={[["Waiting", <Waiting queued={queue.waiting} oldestMs={queue.oldestMs ?? 0} />], ["Dead letters", atMost(queue.deadLetters, MOST_LETTERS)], ...settingsText(queue)]} />
              {!queue.trigger && <Send app={app} queue={name} />}
              <Peek app={app} queue={queue} />
              <DeadLetters route={route} />
            </>
          );
        }}
      </Found>
      <AsCurl url={busPaths.queues(app)} />
    </>
  );
}

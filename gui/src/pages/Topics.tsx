// All topics of the platform on the global bus: of applications, and those by which hosts share their work. For the operator.
import { useQuery } from "@tanstack/react-query";
import { allTopics, busPaths } from "../api/bus";
import { Found, Title } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { TopicTable } from "./topic/TopicTable";

export function Topics() {
  return (
    <>
      <Title>Topics</Title>
      <Found query={useQuery(allTopics())}>
        {({ topics, next }) => (
          <>
            <p className="quiet">
              What the platform keeps on the global bus. In and out: records that came, and that went because nobody needs them any more, in the last ten seconds or a little longer. What waits in a
              queue is told by its application.
            </p>
            <TopicTable topics={topics} />
            {next && <p className="quiet">There are more: these are the first {topics.length.toLocaleString("en")}.</p>}
          </>
        )}
      </Found>
      <AsCurl url={busPaths.allTopics()} command={["queues", "topics"]} />
    </>
  );
}

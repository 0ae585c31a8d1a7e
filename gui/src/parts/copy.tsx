// Texts to be taken along: values, commands, the request of a page.
import { useEffect, useState } from "react";
import { SERVER } from "../api/client";
import { shownDirect, useDirect } from "../api/direct";
import { isKnown } from "../api/key";
import { asCommand } from "../model/command";
import { type Shown, asCurl } from "../model/curl";

const SAID_MS = 1_500;

export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const back = window.setTimeout(() => setSaid(""), SAID_MS);
    return () => window.clearTimeout(back);
  }, [said]);
  // Without TLS browsers give pages no clipboard, but for those of this machine.
  if (!navigator.clipboard) return null;
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setSaid("copied"), () => setSaid("not allowed"));
  return (
    <span className="copy">
      <button type="button" className="small" aria-label={`${said || "Copy"} ${label}`} onClick={copy}>
        {said || "copy"}
      </button>
      <span role="status" className="unseen">
        {said && `${label}: ${said}`}
      </span>
    </span>
  );
}

export function Command({ text }: { readonly text: string }) {
  return (
    <div className="command">
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} label="the command" />
    </div>
  );
}

interface Requested extends Shown {
  /** What it does, where a page has several. */
  readonly name?: string;
  /** The words of the sand command that does the same. */
  readonly command?: readonly string[];
}

export function AsCurl({ name, command, ...request }: Requested) {
  useDirect();
  const direct = shownDirect(request.url.slice(SERVER.length));
  const ways = command ? "as curl, as command" : "as curl";
  return (
    <details className="curl">
      <summary>{name === undefined ? ways : `${name} ${ways}`}</summary>
      <Command text={asCurl({ ...request, headers: { ...request.headers, ...direct }, isKeyed: isKnown() })} />
      {command && <Command text={asCommand(SERVER, [...("Sand-Direct" in direct ? ["--direct"] : []), ...command])} />}
    </details>
  );
}

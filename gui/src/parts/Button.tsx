// A button for what changes something on the platform: who may not do that sees it, and why not.
import type { ComponentProps, ReactNode } from "react";
import { useWhyNot } from "../api/session";
import { type Route, formatRoute } from "../model/route";
import type { Scope } from "../model/who";

interface Props extends ComponentProps<"button"> {
  /** What it takes, as the OpenAPI document says of the operation; null: nothing. */
  readonly scope: Scope | null;
}

/**
 * It can be reached when it is not to be pressed: a reason that no keyboard comes to is none, and who has pressed it is where he was
 * while that is under way.
 */
export function Button({ scope, disabled = false, ...button }: Props) {
  const why = useWhyNot(scope);
  if (why === null && !disabled) return <button {...button} />;
  // A form is not sent by it, nor by Enter in one of its fields.
  return <button {...button} aria-disabled {...(why !== null && { title: why })} onClick={(event) => event.preventDefault()} />;
}

/** A way to a page that is there for that alone. */
export function Way({ scope, route, className, children }: { readonly scope: Scope; readonly route: Route; readonly className: string; readonly children: ReactNode }) {
  const why = useWhyNot(scope);
  return why === null ? (
    <a href={formatRoute(route)} className={className}>
      {children}
    </a>
  ) : (
    <a role="link" aria-disabled tabIndex={0} title={why} className={className}>
      {children}
    </a>
  );
}

// A page that cannot be drawn says why, and leads away from itself; the frame around it stays.
import { Component, type ReactNode } from "react";
import { formatRoute } from "../model/route";

interface Props {
  readonly children: ReactNode;
}

export class Boundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error: error ?? new Error("nothing was said") };
  }

  override render(): ReactNode {
    const error: unknown = this.state.error;
    if (error === null) return this.props.children;
    return (
      <div role="alert" className="trouble">
        <h1>This page cannot be shown</h1>
        <p>{error instanceof Error ? `${error.name}: ${error.message}` : String(error)}</p>
        <p className="actions">
          <button type="button" onClick={() => this.setState({ error: null })}>
            Try again
          </button>
          <button type="button" onClick={() => window.location.reload()}>
            Load everything anew
          </button>
          <a href={formatRoute({ page: "home" })}>All applications</a>
        </p>
      </div>
    );
  }
}

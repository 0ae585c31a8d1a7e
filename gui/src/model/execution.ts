// Executions' inputs and outputs, by their types.

/** It can be shown as text; anything else is to be downloaded. */
export function isText(contentType: string): boolean {
  return /^(text\/|application\/json)/.test(contentType);
}

// Names of applications where there are several tenants.

/** What the platform calls an application of one's own tenant that is there: in others than `default` with the tenant before it. */
export function nameHere(there: readonly string[], name: string): string | undefined {
  return there.find((one) => one === name || one.endsWith(`--${name}`));
}

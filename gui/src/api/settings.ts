// API keys, and what was changed by whom.
import { queryOptions } from "@tanstack/react-query";
import type { AuditFilter } from "../model/audit";
import { type Schemas, Refusal, address, answered, client } from "./client";

const FRESH_MS = 5_000;
export const ENTRIES = 50;
export type ApiKey = Schemas["Key"];
export type AuditEntry = Schemas["AuditEntry"];
export type Scope = Schemas["KeyScope"];

export const settingsPaths = {
  keys: () => address("api/v1/keys"),
  key: (id: string) => address(`api/v1/keys/${encodeURIComponent(id)}`),
  quotas: (tenant: string) => address(`api/v1/tenants/${encodeURIComponent(tenant)}/quotas`),
  management: () => address("api/v1/management"),
  audit: (filter: AuditFilter) => address(`api/v1/audit?${new URLSearchParams(asked(filter))}`),
};

function asked({ tenant, operation, application, before }: AuditFilter): Record<string, string> {
  return { limit: String(ENTRIES), ...(tenant && { tenant }), ...(operation && { operation }), ...(application && { application }), ...(before && { before }) };
}

/** Keys are the management's, which a platform may be without. */
export const isWithoutManagement = (error: unknown): boolean => error instanceof Refusal && error.problem?.type?.endsWith("/no-management") === true;

/** How it is; asked again until there is one, or none is to be. */
export const management = () =>
  queryOptions({
    queryKey: ["management"],
    queryFn: () => answered(client.GET("/api/v1/management")),
    refetchInterval: (query) => (query.state.data?.trouble ? FRESH_MS : false),
    retry: false,
  });

export const keys = () =>
  queryOptions({
    queryKey: ["keys"],
    queryFn: () => answered(client.GET("/api/v1/keys")),
    refetchInterval: FRESH_MS,
    retry: false,
  });

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires: string;
}

export const createKey = ({ name, scopes, expires }: NewKey) => answered(client.POST("/api/v1/keys", { body: { name, scopes: [...scopes], ...(expires && { expires }) } }));

export const revokeKey = (key: string): Promise<unknown> => answered(client.DELETE("/api/v1/keys/{key}", { params: { path: { key } } }));

export const quotas = (tenant: string) =>
  queryOptions({
    queryKey: ["quotas", tenant],
    queryFn: () => answered(client.GET("/api/v1/tenants/{tenant}/quotas", { params: { path: { tenant } } })),
    refetchInterval: FRESH_MS,
    retry: false,
  });

/** Those alone: others stay as they are. */
export const setQuotas = (tenant: string, limits: Schemas["Limits"]): Promise<unknown> =>
  answered(client.PUT("/api/v1/tenants/{tenant}/quotas", { params: { path: { tenant }, query: { keep: true } }, body: limits }));

export const audit = (filter: AuditFilter) =>
  queryOptions({
    queryKey: ["audit", filter],
    queryFn: () => {
      const { tenant, operation, application, before } = filter;
      const query = { limit: ENTRIES, ...(tenant && { tenant }), ...(operation && { operation }), ...(application && { application }), ...(before && { before }) };
      return answered(client.GET("/api/v1/audit", { params: { query } }));
    },
    // A page of what was before does not change.
    refetchInterval: filter.before === "" ? FRESH_MS : false,
    placeholderData: (before) => before,
  });

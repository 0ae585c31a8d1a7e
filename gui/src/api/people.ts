// Who has an account, who belongs to a tenant, who is invited, and where one is signed in.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, address, answered, client } from "./client";

const FRESH_MS = 10_000;
export type User = Schemas["User"];
export type Member = Schemas["Member"];
export type Invitation = Schemas["Invitation"];
export type Session = Schemas["Session"];
export type Role = Member["role"];
export const ROLES: readonly Role[] = ["viewer", "developer", "owner"];

const of = (tenant: string): string => `api/v1/tenants/${encodeURIComponent(tenant)}`;

export const peoplePaths = {
  users: () => address("api/v1/users"),
  user: (user: string) => address(`api/v1/users/${encodeURIComponent(user)}`),
  members: (tenant: string) => address(`${of(tenant)}/members`),
  member: (tenant: string, user: string) => address(`${of(tenant)}/members/${encodeURIComponent(user)}`),
  invitations: (tenant: string) => address(`${of(tenant)}/invitations`),
  password: () => address("api/v1/account/password"),
};

export const users = () => queryOptions({ queryKey: ["users"], queryFn: () => answered(client.GET("/api/v1/users")), refetchInterval: FRESH_MS, retry: false });

export const changeUser = (user: string, to: { readonly disabled?: boolean; readonly operator?: boolean; readonly new?: string }): Promise<unknown> =>
  answered(client.PUT("/api/v1/users/{user}", { params: { path: { user } }, body: to }));

export const members = (tenant: string) =>
  queryOptions({
    queryKey: ["members", tenant],
    queryFn: () => answered(client.GET("/api/v1/tenants/{tenant}/members", { params: { path: { tenant } } })),
    refetchInterval: FRESH_MS,
    retry: false,
  });

export const invitations = (tenant: string) =>
  queryOptions({
    queryKey: ["invitations", tenant],
    queryFn: () => answered(client.GET("/api/v1/tenants/{tenant}/invitations", { params: { path: { tenant } } })),
    refetchInterval: FRESH_MS,
    retry: false,
  });

export const sessions = () =>
  queryOptions({
    queryKey: ["sessions"],
    queryFn: () => answered(client.GET("/api/v1/sessions")),
    refetchInterval: FRESH_MS,
    retry: false,
  });

export const setRole = (tenant: string, user: string, role: Role): Promise<unknown> =>
  answered(client.PUT("/api/v1/tenants/{tenant}/members/{user}", { params: { path: { tenant, user } }, body: { role } }));

export const removeMember = (tenant: string, user: string): Promise<unknown> =>
  answered(client.DELETE("/api/v1/tenants/{tenant}/members/{user}", { params: { path: { tenant, user } } }));

export const invite = (tenant: string, role: Role) => answered(client.POST("/api/v1/tenants/{tenant}/invitations", { params: { path: { tenant } }, body: { role } }));

export const withdraw = (tenant: string, id: string): Promise<unknown> =>
  answered(client.DELETE("/api/v1/tenants/{tenant}/invitations/{id}", { params: { path: { tenant, id } } }));

export const endSession = (id: string): Promise<unknown> => answered(client.DELETE("/api/v1/sessions/{id}", { params: { path: { id } } }));

export const changePassword = (before: string, after: string): Promise<unknown> => answered(client.PUT("/api/v1/account/password", { body: { old: before, new: after } }));

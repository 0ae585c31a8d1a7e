// Tenants: which there are, and which one's session acts in.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, address, answered, client } from "./client";
import { tellTabs } from "./tabs";

export type Tenant = Schemas["Tenant"];

export const tenantPaths = {
  tenants: () => address("api/v1/tenants"),
  tenant: (tenant: string) => address(`api/v1/tenants/${encodeURIComponent(tenant)}`),
};

export const tenants = () => queryOptions({ queryKey: ["tenants"], queryFn: () => answered(client.GET("/api/v1/tenants")), retry: false });

export const createTenant = (name: string): Promise<unknown> => answered(client.POST("/api/v1/tenants", { body: { name } }));

export const setTenantState = (tenant: string, state: Tenant["state"]): Promise<unknown> =>
  answered(client.PUT("/api/v1/tenants/{tenant}", { params: { path: { tenant } }, body: { state } }));

export const deleteTenant = (tenant: string): Promise<unknown> => answered(client.DELETE("/api/v1/tenants/{tenant}", { params: { path: { tenant } } }));

export async function actIn(tenant: string): Promise<void> {
  await answered(client.PUT("/api/v1/session", { body: { tenant } }));
  tellTabs();
}

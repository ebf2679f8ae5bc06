// What other resources may use of deployments.
export type { ReadServerState } from './needs.ts';
export type { DeploymentsElsewhere } from './on-another-server.ts';
export type { DeployedFacts } from './reports.ts';
export { routeHolder } from './route-claims/route-claims.ts';
export type { Deployments } from './service.ts';
export { countByStatus, unfinishedOn } from './store.ts';

export {
  addServer as addBed,
  beginDeployment,
  deployWhole as plant,
  type ReportedServer as Bed,
} from '@hortus/testkit/reported-servers';

// What other resources may use of transfers.
export { transferRecord } from './record.ts';
export type { Transfers } from './service.ts';
export type { TransferRow } from './store.ts';

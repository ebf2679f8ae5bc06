export { idsFrom, newId } from '@hortus/contract/records/new-id';

// What other resources may use of connections.
export { type OpenedConnection, openConnection } from './opening.ts';

export { connectionNames, findConnection, findConnectionByName, lockConnection } from './store.ts';

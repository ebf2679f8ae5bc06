// What other resources may use of members.
export { invite } from './invites.ts';

/**
 * The page token is the second half of a session of the console. Browsers send a cookie to every port of its host; pages keep the
 * token in the storage of one scheme, host and port. Without schemas, because the console uses these names too.
 */

/** Header of every request with a session; also the name under which pages keep the token. */
export const pageTokenHeader = 'Hortus-Page-Token';
/** Beginning of every page token, by which logs recognise it. */
export const pageTokenPrefix = 'hpt_';
/** Beginning of the WebSocket subprotocol with the token, because pages cannot set headers of a WebSocket. */
export const pageTokenProtocol = 'hortus.page-token.';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const EVENT_HEADERS = ['x-github-event', 'x-gitlab-event', 'x-gitea-event', 'x-forgejo-event'];

/** Whether a signed webhook reports a push to the branch. Other events, such as the ping of a new webhook, are ignored. */
export function isPushTo(branch: string, headers: Headers, body: Buffer): boolean {
  const events = EVENT_HEADERS.flatMap((name) => headers[name] ?? []);
  if (events.length > 0 && !events.some((event) => /^push( hook)?$/i.test(event))) return false;
  const pushed = refIn(headers, body);
  return pushed === `refs/heads/${branch}`;
}

/** GitHub can send the body as a form with one field. */
function refIn(headers: Headers, body: Buffer): unknown {
  const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  const text = isForm ? new URLSearchParams(body.toString('utf8')).get('payload') : body.toString('utf8');
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    return typeof parsed === 'object' && parsed !== null ? (parsed as { ref?: unknown }).ref : undefined;
  } catch {
    return undefined;
  }
}

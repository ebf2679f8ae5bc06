/** Lines beyond this length are nearly all labels, which the author of an image chooses. */
const LONG = 32 * 1024;
const MAX_LONG_PER_SECOND = 20;

/** Beginnings of the lines about execs; engines with newer versions of the API leave `status` out. */
const EXEC = ['{"status":"exec_', '{"Type":"container","Action":"exec_'];

/**
 * Makes a filter of event lines before they are parsed. Leaves out execs, which change nothing: a health check causes three events each
 * time. Limits long lines: a container can have a megabyte of labels, which come with each of its events, and can cause as many events
 * as it likes. The regular check reports what it loses, and other containers lose nothing.
 */
export function wantedEvents(now: () => number = () => performance.now()): (line: string) => boolean {
  let second = -1;
  let long = 0;
  return (line) => {
    if (EXEC.some((beginning) => line.startsWith(beginning))) return false;
    if (line.length <= LONG) return true;
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      long = 0;
    }
    return ++long <= MAX_LONG_PER_SECOND;
  };
}

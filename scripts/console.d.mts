/** Builds the console if needed; true if it is there and belongs to the sources. */
export function buildConsole(options?: { tree?: string; make?: (folder: string) => Promise<void> }): Promise<boolean>;

/** Saves a text as a file of the person. */
export function saveText(name: string, text: string, type = 'text/plain'): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  // The browser has taken the content over by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const FONTS = [
  '1em "Instrument Sans Variable"',
  '1em "Newsreader Variable"',
  'italic 1em "Newsreader Variable"',
  '1em "Geist Mono Variable"',
];
const MAX_WAIT_MS = 600;

/** Resolves when the fonts are there, so that the first text is drawn in them; on a slow network without them. */
export async function fontsReady(): Promise<void> {
  const loaded = Promise.allSettled(FONTS.map((font) => document.fonts.load(font)));
  await Promise.race([loaded, new Promise((done) => setTimeout(done, MAX_WAIT_MS))]);
}

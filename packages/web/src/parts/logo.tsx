/** The logo of a project; decorative, so always beside a name. Loaded as a picture, in which nothing can run. */
export function Logo({ url, size }: { url: string; size: number }) {
  return <img className="logo" src={url} alt="" width={size} height={size} loading="lazy" decoding="async" />;
}

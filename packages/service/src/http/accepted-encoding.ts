export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** Tells whether a client accepts an encoding; `q=0` refuses it. */
export function takesEncoding(header: string | string[] | undefined, encoding: Encoding): boolean {
  return String(header ?? '')
    .split(',')
    .some((part) => {
      const [name, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
      return name === encoding && (weight === undefined || Number(weight) > 0);
    });
}

/** Returns the best encoding that a client accepts, if any. */
export const acceptedEncoding = (header: string | string[] | undefined): Encoding | undefined =>
  header === undefined ? undefined : encodings.find((encoding) => takesEncoding(header, encoding));

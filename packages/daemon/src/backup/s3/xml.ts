import { parseXml, type XmlElement } from '@rgrove/parse-xml';

/** Parses a response; undefined if it is empty or not XML, such as the HTML of a proxy. */
export function parseResponse(text: string): XmlElement | undefined {
  try {
    return parseXml(text).root ?? undefined;
  } catch {
    return undefined;
  }
}

export const childrenOf = (parent: XmlElement | undefined, name: string): XmlElement[] =>
  (parent?.children ?? []).filter((child): child is XmlElement => (child as Partial<XmlElement>).name === name);

/** The text of the first child of a name. */
export const textOf = (parent: XmlElement | undefined, name: string): string | undefined =>
  childrenOf(parent, name)[0]?.text;

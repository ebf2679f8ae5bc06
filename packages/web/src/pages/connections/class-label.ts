import { connectionClasses } from '@hortus/contract/resources/connection-classes';

/** Name of a class for people; unlisted classes are shown as they are. */
export const classLabel = (name: string): string =>
  (Object.hasOwn(connectionClasses, name) ? connectionClasses[name]?.label : undefined) ?? name;

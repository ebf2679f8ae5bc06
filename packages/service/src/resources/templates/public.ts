// What other resources may use of templates.
export { CATALOG_TOPIC, type Catalog, isOfCatalog, templateFrom, templateItem } from './catalog.ts';
export { checkProfile, checkVariant } from './choices.ts';
export { compareTemplates } from './comparison.ts';
export { checkInput } from './input-check.ts';
export { templateLifecycle } from './lifecycle.ts';
export { byName, type CatalogTemplate } from './owner-templates.ts';
export {
  deprecate,
  followPublication,
  mayPublish,
  PUBLISHED,
  type Publication,
  publish,
  templateExists,
} from './publish.ts';

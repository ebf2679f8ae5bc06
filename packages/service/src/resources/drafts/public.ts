// What other resources may use of drafts.

export { READ_BUNDLED_TEMPLATE } from './bundled-template.ts';
export { asPublished, publishUnlessPresent, removePublished } from './published-templates.ts';
export type { Drafts } from './service.ts';
export { lockTemplate } from './store.ts';
export { volumesOf } from './tests.ts';
export { READ_DRAFT, type Written } from './written.ts';

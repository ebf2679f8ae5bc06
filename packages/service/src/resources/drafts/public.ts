// What other resources may use of drafts.
export { asPublished, bringTemplate, holdTemplate, takeTemplateBack } from './brought.ts';
export { READ_BUNDLED_TEMPLATE } from './bundled-template.ts';
export type { Drafts } from './service.ts';
export type { Written } from './written.ts';

import { checkInputs } from '@hortus/template/inputs';
import { resolve } from '@hortus/template/resolve';
import { compareForUpgrade } from '@hortus/template/upgrade/compare';
import { readLargeBody } from '../http/validation/large-body.ts';
import { fillAction } from '../resources/actions/request.ts';
import { testInputs } from '../resources/drafts/test-inputs.ts';
import { findingsOf, importDraft, readDraft } from '../resources/drafts/written.ts';
import { readBundledTemplate } from '../resources/imports/bundled-template.ts';
import { examine } from '../resources/recipes/examination.ts';

/**
 * The work that runs off the event loop, because its cost depends on what a caller wrote. Arguments and results are copied
 * between threads, so each function takes and returns plain data; a `Problem` that it throws reaches the caller as such.
 */
export const jobs = {
  'action.fill': fillAction,
  'body.read': readLargeBody,
  'bundle.template': readBundledTemplate,
  'draft.findings': findingsOf,
  'draft.import': importDraft,
  'draft.read': readDraft,
  'inputs.check': checkInputs,
  'inputs.forTest': testInputs,
  'manifest.resolve': resolve,
  'recipe.examine': examine,
  'upgrade.compare': compareForUpgrade,
} as const;

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;

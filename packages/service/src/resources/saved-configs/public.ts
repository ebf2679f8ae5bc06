// What other resources may use of saved configs.
export { type OpenedConfig, openSavedConfig } from './opening.ts';

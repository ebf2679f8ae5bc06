// What other resources may use of manifest.
export { withPins } from './images.ts';

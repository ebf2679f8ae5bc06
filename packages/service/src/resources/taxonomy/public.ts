// What other resources may use of taxonomy.
export { allFamilies, taxonomyTree } from './tree.ts';

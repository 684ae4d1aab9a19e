/** The worlds of one turn, from a table of one-token answers to preferences. */
export { verifierFiller } from './filler';
export { verifierPassword } from './password';
export { verifierPreference } from './preference';
export { verifierSum } from './sum';
export { verifierTable } from './table';

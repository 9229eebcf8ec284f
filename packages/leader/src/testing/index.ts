export { datasetsHere } from './datasets-here.ts';
export { readerHere } from './reader-here.ts';

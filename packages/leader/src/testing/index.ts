export { readerHere } from './reader-here.ts';

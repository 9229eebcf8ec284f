/** Version of the program these pages were built with. */
declare const __PAGE_VERSION__: string;

/** Version of the program these pages were built with. */
declare const __PAGE_VERSION__: string;

/** The libraries in these pages. */
declare const __LIBRARIES__: readonly { readonly name: string; readonly version: string; readonly license: string }[];

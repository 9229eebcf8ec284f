/** What the person who builds must do first, in one sentence. */
export class BuildFailure extends Error {}

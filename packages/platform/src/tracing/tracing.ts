type SpanValues = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  /** `server`: a request; `internal`: work of the node. */
  readonly kind: 'server' | 'internal';
  /** The header `traceparent` of the span that caused this one. One that is not valid counts as none. */
  readonly parent: string | undefined;
  readonly values: SpanValues;
}

export interface OpenSpan {
  /** For `withinTrace`. */
  readonly traceparent: string | undefined;
  /** @param fault what went wrong; undefined: nothing */
  end(fault: string | undefined, values?: SpanValues): void;
}

/** Records what a node does as spans. Nodes that nobody traces have none, and do no work for it. */
export interface Tracing {
  begin(start: SpanStart): OpenSpan;
}

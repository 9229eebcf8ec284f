import { Alert, Button, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { commonWords } from '../words/common.ts';

interface PartBoundaryProps {
  /** The name of the part for people: `The list of workers`. */
  readonly part: string;
  /** Shown instead of the stock notice; for rows of tables and the like. */
  readonly fallback?: ReactNode;
  /** A change of this key draws the part again. */
  readonly resetKey?: unknown;
  readonly children: ReactNode;
}

type PartBoundaryState = { readonly failure: Error | null; readonly resetKey: unknown };

/** An error boundary: an error while drawing one part of a page stays within that part. */
export class PartBoundary extends Component<PartBoundaryProps, PartBoundaryState> {
  override state: PartBoundaryState = { failure: null, resetKey: this.props.resetKey };

  static getDerivedStateFromError(failure: Error): Partial<PartBoundaryState> {
    return { failure };
  }

  static getDerivedStateFromProps(
    props: PartBoundaryProps,
    state: PartBoundaryState,
  ): Partial<PartBoundaryState> | null {
    return props.resetKey === state.resetKey ? null : { failure: null, resetKey: props.resetKey };
  }

  override render() {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    if (this.props.fallback !== undefined) return this.props.fallback;
    return (
      <Alert color="red" variant="light" title={commonWords.couldNotBeShown(this.props.part)}>
        <Text size="sm">{failure.message}</Text>
        <Button mt="xs" size="xs" variant="default" onClick={() => this.setState({ failure: null })}>
          {commonWords.tryAgain}
        </Button>
      </Alert>
    );
  }
}

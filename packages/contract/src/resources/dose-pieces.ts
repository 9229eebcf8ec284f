/** A pump that runs long records each piece. Pieces of the same liquid by the same job belong to one dose if no more time than this is between them. */
export const dosePieceGapMs = 5_000;

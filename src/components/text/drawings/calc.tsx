/** The operator tables that only the tool knows, with the cells that were looked up, and what the calls returned. */
import { CircleAlert } from 'lucide-react';
import type { TextView } from '../../../engine/view';

type Calc = Extract<TextView, { kind: 'calc' }>;

export function CalcDrawing({ view }: { view: Calc }) {
  const { tables, calls, answer, expected, expression } = view;
  return (
    <figure className="drawing">
      <p className="drawing-line">{expression.join(' ')}</p>
      <div className="calc-tables">
        {tables.map((table, index) => (
          <OperatorTable
            key={table.name}
            table={table}
            called={calls.flatMap(({ cell }, call) =>
              cell?.table === index ? [{ row: cell.row, column: cell.column, call: call + 1 }] : [],
            )}
          />
        ))}
      </div>
      {calls.length > 0 && (
        <ol className="calc-calls">
          {calls.map(({ text, result, failed }, call) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls are only ever added at the end.
            <li key={call}>
              {call + 1}. {text} → <b>{result}</b>
              {failed && (
                <span className="calc-failed">
                  <CircleAlert size={13} aria-hidden /> failed
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      <p className="drawing-line">
        right: <b>{expected}</b> · answered: <b>{answer ?? 'not yet'}</b>
      </p>
      <figcaption>Ringed, with the number of the call: the cell was looked up.</figcaption>
    </figure>
  );
}

interface OperatorTableProps {
  readonly table: Calc['tables'][number];
  readonly called: readonly { readonly row: number; readonly column: number; readonly call: number }[];
}

function OperatorTable({ table: { name, size, cells }, called }: OperatorTableProps) {
  const numbers = Array.from({ length: size }, (_, index) => index);
  return (
    <table className="calc-table">
      <thead>
        <tr>
          <th scope="col">{name}</th>
          {numbers.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {numbers.map((row) => (
          <tr key={row}>
            <th scope="row">{row}</th>
            {numbers.map((column) => {
              const call = called.find((one) => one.row === row && one.column === column)?.call;
              return (
                <td key={column} className={call === undefined ? undefined : 'called'}>
                  {cells[row * size + column]}
                  {call !== undefined && (
                    <sup>
                      <span className="visually-hidden"> call </span>
                      {call}
                    </sup>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

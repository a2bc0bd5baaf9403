import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** A file as browsers get it. */
export interface Asset {
  type: string
  plain: Buffer
  gzip: Buffer
  /** Strong; of `plain`. */
  hash: string
}

export interface LinkAssets {
  /** The script that other sites load; it needs no other. */
  embed: Asset
  /** What the page is made of, by name: `steps/pick.js`, `style.css`. */
  page: ReadonlyMap<string, Asset>
  /** Changes with any file of the page. */
  version: string
}

/** Reads the browser's side of the install flow. Its types are taken out; nothing else is changed. */
export function readLinkAssets(): LinkAssets {
  const names = globSync('**/*.ts', { cwd: source }).sort()
  const scripts = names.filter((name) => name !== 'embed.ts' && name !== 'protocol.ts')
  const page = new Map([
    ...scripts.map((name): [string, Asset] => [name.replace(/\.ts$/, '.js'), script(name)]),
    ['style.css', assetOf('text/css; charset=utf-8', readFileSync(`${source}style.css`))],
  ])
  const version = hashOf(Buffer.from([...page].map(([name, { hash }]) => `${name} ${hash}`).join('\n')))
  return { embed: script('embed.ts'), page, version }
}

const source = fileURLToPath(new URL('../../../link/src/', import.meta.url))

function script(name: string): Asset {
  const stripped = stripTypeScriptTypes(readFileSync(source + name, 'utf8'))
  const code = stripped.replace(/(from '\.[^']*)\.ts'/g, "$1.js'").replace(/[^\S\n]+$/gm, '')
  return assetOf('text/javascript; charset=utf-8', Buffer.from(code))
}

const assetOf = (type: string, plain: Buffer): Asset => ({
  type,
  plain,
  gzip: gzipSync(plain, { level: 9 }),
  hash: hashOf(plain),
})

const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('base64url').slice(0, 22)

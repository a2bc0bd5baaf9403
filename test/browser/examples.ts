import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Site } from './site.ts'

/** Makes the example of the plain script the site's front page, as it is but for the address of the service. */
export async function servePlainExample(site: Site, serviceUrl: string): Promise<void> {
  const example = await readFile(new URL('../../link/example/index.html', import.meta.url), 'utf8')
  site.pages.set('/', { type: 'text/html', body: example.replaceAll(addressInExamples, serviceUrl) })
}

/** Makes the example of the React package the site's front page, likewise. */
export async function serveReactExample(site: Site, serviceUrl: string): Promise<void> {
  const folder = new URL('../../react-link/example/', import.meta.url)
  const source = await readFile(new URL('example.ts', folder), 'utf8')
  const script = await bundle({
    contents: source.replace(addressInExamples, serviceUrl),
    resolveDir: fileURLToPath(folder),
    loader: 'ts',
  })
  site.pages.set('/', { type: 'text/html', body: await readFile(new URL('index.html', folder), 'utf8') })
  site.pages.set('/example.js', { type: 'text/javascript', body: script })
}

/** One module of a source and all that it imports. */
export async function bundle(stdin: { contents: string; resolveDir: string; loader?: 'ts' }): Promise<string> {
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['source'],
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
  })
  return outputFiles[0]!.text
}

const addressInExamples = 'http://127.0.0.1:3000'

import { connect } from 'node:net'

/** 32 clients that ask one after the other; sends the number of answers to its parent. */
const [port, seconds] = process.argv.slice(2).map(Number) as [number, number]
const request = [
  'GET /wms/orders/42?limit=100 HTTP/1.1',
  'host: 127.0.0.1',
  'x-service-api-key: sk_of-the-benchmark',
  'x-service-access-token: at_of-the-benchmark',
  '\r\n',
].join('\r\n')
let answers = 0
const sockets = Array.from({ length: 32 }, () => {
  const socket = connect(port, '127.0.0.1', () => socket.write(request))
  // an answer is smaller than a packet on the loopback and ends its body with a brace
  socket.on('data', (chunk) => {
    if (chunk.at(-1) !== 0x7d) return
    answers++
    socket.write(request)
  })
  return socket
})
setTimeout(() => {
  process.send!(answers)
  for (const socket of sockets) socket.destroy()
}, seconds * 1000)
